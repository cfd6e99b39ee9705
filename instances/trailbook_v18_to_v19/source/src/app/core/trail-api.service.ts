import { HttpClient } from '@angular/common/http';
import { inject, Injectable } from '@angular/core';
import { Observable, of } from 'rxjs';
import { catchError, map } from 'rxjs/operators';

import { API_PREFIX } from './backend.interceptor';
import { Hike, HikeDraft, Trail } from './models';
import { SAMPLE_HIKES, SAMPLE_TRAILS } from './sample-data';

@Injectable({ providedIn: 'root' })
export class TrailApiService {
  private readonly http = inject(HttpClient);

  trails(): Observable<readonly Trail[]> {
    return this.list<Trail>('trails', SAMPLE_TRAILS);
  }

  hikes(): Observable<readonly Hike[]> {
    return this.list<Hike>('hikes', SAMPLE_HIKES);
  }

  /** Resolves to whether the back end took the hike. */
  save(draft: HikeDraft): Observable<boolean> {
    return this.http.post(`${API_PREFIX}hikes`, draft).pipe(
      map(() => true),
      catchError(() => of(false)),
    );
  }

  private list<T>(resource: string, sample: readonly T[]): Observable<readonly T[]> {
    return this.http.get<readonly T[]>(API_PREFIX + resource).pipe(
      map((items) => (Array.isArray(items) ? items : sample)),
      catchError(() => of(sample)),
    );
  }
}
