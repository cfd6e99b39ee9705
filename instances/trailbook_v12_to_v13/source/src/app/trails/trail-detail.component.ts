import { Component } from '@angular/core';
import { ActivatedRoute } from '@angular/router';
import { combineLatest, Observable } from 'rxjs';
import { filter, map, switchMap } from 'rxjs/operators';

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
  readonly view$: Observable<TrailView> = this.route.paramMap.pipe(
    switchMap((params) => this.view(params.get('trailId') ?? '')),
  );

  constructor(
    private readonly route: ActivatedRoute,
    private readonly store: TrailbookStore,
  ) {}

  private view(trailId: string): Observable<TrailView> {
    return combineLatest([
      this.store.trail(trailId).pipe(filter((trail): trail is Trail => trail !== undefined)),
      this.store.journalOn(trailId),
    ]).pipe(map(([trail, journal]) => ({ trail, journal, minutes: expectedMinutes(trail) })));
  }
}
