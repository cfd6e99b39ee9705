import { Injectable } from '@angular/core';
import { BehaviorSubject, Observable } from 'rxjs';
import { distinctUntilChanged, map, switchMap, tap } from 'rxjs/operators';

import { Hike, HikeDraft, JournalEntry, JournalTotals, Trail } from './models';
import { TrailApiService } from './trail-api.service';
import { walkedMinutes } from './walking-time';

interface TrailbookState {
  trails: readonly Trail[];
  hikes: readonly Hike[];
}

/** The one place that holds trails and hikes; pages read slices of it. */
@Injectable({ providedIn: 'root' })
export class TrailbookStore {
  private readonly state = new BehaviorSubject<TrailbookState>({ trails: [], hikes: [] });

  readonly trails$ = this.select((state) => state.trails);
  readonly journal$ = this.select(journalOf);
  readonly totals$ = this.journal$.pipe(map(totalsOf));

  constructor(private readonly api: TrailApiService) {}

  /** Fetches everything once, one list after the other. */
  load(): Observable<void> {
    return this.api.trails().pipe(
      switchMap((trails) => this.api.hikes().pipe(map((hikes) => ({ trails, hikes })))),
      tap((state) => this.state.next(state)),
      map(() => undefined),
    );
  }

  trail(id: string): Observable<Trail | undefined> {
    return this.select((state) => state.trails.find((trail) => trail.id === id));
  }

  journalOn(trailId: string): Observable<JournalEntry[]> {
    return this.journal$.pipe(
      map((entries) => entries.filter((entry) => entry.trail.id === trailId)),
    );
  }

  /** Emits whether the back end holds the hike too, or only this page. */
  add(draft: HikeDraft): Observable<boolean> {
    return this.api.save(draft).pipe(tap(() => this.merge([draft])));
  }

  /** Adds many hikes to this page only. */
  merge(drafts: readonly HikeDraft[]): void {
    const { trails, hikes } = this.state.value;
    const lastId = Math.max(0, ...hikes.map((hike) => hike.id));
    const added = drafts.map((draft, index) => ({ ...draft, id: lastId + 1 + index }));
    this.state.next({ trails, hikes: [...hikes, ...added] });
  }

  remove(hikeId: number): void {
    const { trails, hikes } = this.state.value;
    this.state.next({ trails, hikes: hikes.filter((hike) => hike.id !== hikeId) });
  }

  private select<T>(read: (state: TrailbookState) => T): Observable<T> {
    return this.state.pipe(map(read), distinctUntilChanged());
  }
}

/** Newest first; hikes on unknown trails are left out. */
function journalOf({ trails, hikes }: TrailbookState): JournalEntry[] {
  return hikes
    .map((hike) => ({
      hike,
      trail: trails.find((trail) => trail.id === hike.trailId),
      minutes: walkedMinutes(hike),
    }))
    .filter((entry): entry is JournalEntry => entry.trail !== undefined)
    .sort((a, b) => b.hike.date.localeCompare(a.hike.date) || b.hike.id - a.hike.id);
}

function totalsOf(entries: readonly JournalEntry[]): JournalTotals {
  return entries.reduce(
    (totals, { hike, trail, minutes }) => ({
      hikes: totals.hikes + 1,
      distanceKm: totals.distanceKm + hike.distanceKm,
      ascentM: totals.ascentM + trail.ascentM,
      minutes: totals.minutes + minutes,
    }),
    { hikes: 0, distanceKm: 0, ascentM: 0, minutes: 0 },
  );
}
