import { Component } from '@angular/core';
import { map } from 'rxjs/operators';

import { TrailbookStore } from '../core/trailbook-store.service';

const LATEST = 3;

@Component({
  selector: 'tb-home',
  templateUrl: './home.component.html',
})
export class HomeComponent {
  readonly totals$ = this.store.totals$;
  readonly latest$ = this.store.journal$.pipe(map((entries) => entries.slice(0, LATEST)));

  constructor(private readonly store: TrailbookStore) {}
}
