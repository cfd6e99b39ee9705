import { Component } from '@angular/core';
import { FormBuilder, FormGroup, Validators } from '@angular/forms';
import { ActivatedRoute, Router } from '@angular/router';
import { Observable } from 'rxjs';
import { map, startWith } from 'rxjs/operators';

import { NoticeService } from '../core/notice.service';
import { TrailbookStore } from '../core/trailbook-store.service';
import { walkedMinutes } from '../core/walking-time';
import { endsAfterStart, plausiblePace } from '../shared/hike-validators';

const FASTEST_KMH = 9;

@Component({
  selector: 'tb-hike-form',
  templateUrl: './hike-form.component.html',
  styleUrls: ['./hike-form.component.scss'],
})
export class HikeFormComponent {
  readonly ratings = [1, 2, 3, 4, 5];
  readonly trails$ = this.store.trails$;
  readonly form: FormGroup = this.builder.group(
    {
      trailId: [this.route.snapshot.queryParamMap.get('trail') ?? '', Validators.required],
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
  readonly minutes$: Observable<number> = this.form.valueChanges.pipe(
    startWith(null),
    map(() => walkedMinutes(this.form.value)),
  );

  constructor(
    private readonly builder: FormBuilder,
    private readonly store: TrailbookStore,
    private readonly notices: NoticeService,
    private readonly route: ActivatedRoute,
    private readonly router: Router,
  ) {}

  invalid(name: string): boolean {
    const control = this.form.controls[name];
    return control.invalid && control.touched;
  }

  submit(): void {
    if (this.form.invalid) {
      this.form.markAllAsTouched();
      return;
    }
    this.store.add(this.form.value).subscribe((synced) => {
      this.notices.show(synced ? 'Hike saved.' : 'Hike saved on this page only.');
      void this.router.navigate(['/journal']);
    });
  }
}
