import { Injectable } from '@angular/core';
import { Observable, of } from 'rxjs';
import { map } from 'rxjs/operators';

import { Pond } from './pond';

const PONDS: readonly Pond[] = [
  { name: 'Mill pond', depthCm: 180 },
  { name: 'Alder pond', depthCm: 95 },
  { name: 'Quarry pond', depthCm: 640 },
];

@Injectable({ providedIn: 'root' })
export class PondService {
  /** The ponds by their names. */
  ponds(): Observable<readonly Pond[]> {
    return of(PONDS).pipe(
      map((ponds) => [...ponds].sort((one, other) => one.name.localeCompare(other.name))),
    );
  }
}
