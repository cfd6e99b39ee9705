import { Component, effect, inject, input } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { Router, RouterLink } from '@angular/router';
import { map, startWith } from 'rxjs/operators';

import { NoticeService } from '../core/notice.service';
import { TrailbookStore } from '../core/trailbook-store.service';
import { walkedMinutes } from '../core/walking-time';
import { endsAfterStart, plausiblePace } from '../shared/hike-validators';
import { SharedModule } from '../shared/shared.module';

const FASTEST_KMH = 9;

@Component({
  selector: 'tb-hike-form',
  standalone: true,
  imports: [ReactiveFormsModule, RouterLink, SharedModule],
  templateUrl: './hike-form.component.html',
  styleUrl: './hike-form.component.scss',
})
export class HikeFormComponent {
  private readonly builder = inject(NonNullableFormBuilder);
  private readonly store = inject(TrailbookStore);
  private readonly notices = inject(NoticeService);
  private readonly router = inject(Router);

  /** Bound by the router to the query: the trail to start with. */
  readonly trail = input<string>();

  readonly ratings = [1, 2, 3, 4, 5];
  readonly trails = toSignal(this.store.trails$, { requireSync: true });
  readonly form = this.builder.group(
    {
      trailId: ['', Validators.required],
      date: ['', [Validators.required, Validators.pattern(/^\d{4}-\d{2}-\d{2}$/)]],
      startTime: ['09:00', Validators.required],
      endTime: ['', Validators.required],
      distanceKm: [0, [Validators.required, Validators.min(0.1), Validators.max(80)]],
      rating: [3],
      companions: ['', Validators.maxLength(80)],
      notes: ['', Validators.maxLength(280)],
    },
    { validators: [endsAfterStart, plausiblePace(FASTEST_KMH)] },
  );
  readonly minutes = toSignal(
    this.form.valueChanges.pipe(
      startWith(null),
      map(() => walkedMinutes(this.form.getRawValue())),
    ),
  );

  constructor() {
    effect(() => this.form.controls.trailId.setValue(this.trail() ?? ''));
  }

  invalid(name: keyof typeof this.form.controls): boolean {
    const control = this.form.controls[name];
    return control.invalid && control.touched;
  }

  submit(): void {
    if (this.form.invalid) {
      this.form.markAllAsTouched();
      return;
    }
    this.store.add(this.form.getRawValue()).subscribe((synced) => {
      this.notices.show(synced ? 'Hike saved.' : 'Hike saved on this page only.');
      void this.router.navigate(['/journal']);
    });
  }
}
