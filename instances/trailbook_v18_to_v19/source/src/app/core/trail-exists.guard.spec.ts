import { Component } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { provideRouter, Router } from '@angular/router';
import { RouterTestingHarness } from '@angular/router/testing';
import { of } from 'rxjs';

import { SAMPLE_TRAILS } from './sample-data';
import { trailExistsGuard } from './trail-exists.guard';
import { TrailbookStore } from './trailbook-store.service';

@Component({ template: 'a trail' })
class TrailPageComponent {}

@Component({ template: 'off the map' })
class LostPageComponent {}

describe('trailExistsGuard', () => {
  beforeEach(() => {
    const store = { trail: (id: string) => of(SAMPLE_TRAILS.find((trail) => trail.id === id)) };
    TestBed.configureTestingModule({
      providers: [
        provideRouter([
          {
            path: 'trails/:trailId',
            component: TrailPageComponent,
            canActivate: [trailExistsGuard],
          },
          { path: 'not-found', component: LostPageComponent },
        ]),
        { provide: TrailbookStore, useValue: store },
      ],
    });
  });

  it('lets known trails pass', async () => {
    const harness = await RouterTestingHarness.create('/trails/mill-loop');
    expect(harness.routeNativeElement?.textContent).toBe('a trail');
  });

  it('redirects from unknown trails', async () => {
    await RouterTestingHarness.create('/trails/nowhere');
    expect(TestBed.inject(Router).url).toBe('/not-found');
  });
});
