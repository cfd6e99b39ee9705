import { Component, Input } from '@angular/core';
import { combineLatest, Observable } from 'rxjs';
import { filter, map } from 'rxjs/operators';

import { JournalEntry, Trail } from '../core/models';
import { TrailbookStore } from '../core/trailbook-store.service';
import { expectedMinutes } from '../core/walking-time';

interface TrailView {
  trail: Trail;
  minutes: number;
  journal: JournalEntry[];
}

@Component({
  selector: 'tb-trail-detail',
  templateUrl: './trail-detail.component.html',
  styleUrls: ['./trail-detail.component.scss'],
})
export class TrailDetailComponent {
  view$!: Observable<TrailView>;

  constructor(private readonly store: TrailbookStore) {}

  /** Bound by the router to the address. */
  @Input()
  set trailId(id: string) {
    this.view$ = combineLatest([
      this.store.trail(id).pipe(filter((trail): trail is Trail => trail !== undefined)),
      this.store.journalOn(id),
    ]).pipe(map(([trail, journal]) => ({ trail, journal, minutes: expectedMinutes(trail) })));
  }
}
