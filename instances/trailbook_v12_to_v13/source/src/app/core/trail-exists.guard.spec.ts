import { Component, NgZone } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { Router } from '@angular/router';
import { RouterTestingModule } from '@angular/router/testing';
import { of } from 'rxjs';

import { SAMPLE_TRAILS } from './sample-data';
import { TrailExistsGuard } from './trail-exists.guard';
import { TrailbookStore } from './trailbook-store.service';

@Component({ template: '' })
class PageComponent {}

describe('TrailExistsGuard', () => {
  let router: Router;

  beforeEach(() => {
    const store = { trail: (id: string) => of(SAMPLE_TRAILS.find((trail) => trail.id === id)) };
    TestBed.configureTestingModule({
      declarations: [PageComponent],
      imports: [
        RouterTestingModule.withRoutes([
          { path: 'trails/:trailId', component: PageComponent, canActivate: [TrailExistsGuard] },
          { path: 'not-found', component: PageComponent },
        ]),
      ],
      providers: [{ provide: TrailbookStore, useValue: store }],
    });
    router = TestBed.inject(Router);
  });

  async function visit(url: string): Promise<void> {
    await TestBed.inject(NgZone).run(() => router.navigateByUrl(url));
  }

  it('lets known trails pass', async () => {
    await visit('/trails/mill-loop');
    expect(router.url).toBe('/trails/mill-loop');
  });

  it('redirects from unknown trails', async () => {
    await visit('/trails/nowhere');
    expect(router.url).toBe('/not-found');
  });
});
