import { DatePipe, DecimalPipe } from '@angular/common';
import { Component, computed, inject } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { RouterLink } from '@angular/router';

import { TrailbookStore } from '../core/trailbook-store.service';
import { SharedModule } from '../shared/shared.module';

const LATEST = 3;

@Component({
  selector: 'tb-home',
  standalone: true,
  imports: [DatePipe, DecimalPipe, RouterLink, SharedModule],
  templateUrl: './home.component.html',
})
export class HomeComponent {
  private readonly store = inject(TrailbookStore);
  private readonly journal = toSignal(this.store.journal$, { requireSync: true });

  readonly totals = toSignal(this.store.totals$, { requireSync: true });
  readonly latest = computed(() => this.journal().slice(0, LATEST));
}
