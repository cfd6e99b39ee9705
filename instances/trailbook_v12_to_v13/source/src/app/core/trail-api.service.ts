import { HttpClient } from '@angular/common/http';
import { Injectable } from '@angular/core';
import { Observable, of } from 'rxjs';
import { catchError, map } from 'rxjs/operators';

import { environment } from '../../environments/environment';
import { Hike, HikeDraft, Trail } from './models';
import { SAMPLE_HIKES, SAMPLE_TRAILS } from './sample-data';

@Injectable({ providedIn: 'root' })
export class TrailApiService {
  constructor(private readonly http: HttpClient) {}

  trails(): Observable<readonly Trail[]> {
    return this.list<Trail>('trails', SAMPLE_TRAILS);
  }

  hikes(): Observable<readonly Hike[]> {
    return this.list<Hike>('hikes', SAMPLE_HIKES);
  }

  /** Resolves to whether the back end took the hike. */
  save(draft: HikeDraft): Observable<boolean> {
    return this.http.post(`${environment.apiPrefix}hikes`, draft).pipe(
      map(() => true),
      catchError(() => of(false)),
    );
  }

  private list<T>(resource: string, sample: readonly T[]): Observable<readonly T[]> {
    return this.http.get<readonly T[]>(environment.apiPrefix + resource).pipe(
      map((items) => (Array.isArray(items) ? items : sample)),
      catchError(() => of(sample)),
    );
  }
}
