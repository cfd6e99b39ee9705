import { inject } from '@angular/core';
import { CanActivateFn, Router } from '@angular/router';
import { map, take } from 'rxjs/operators';

import { TrailbookStore } from './trailbook-store.service';

/** Sends addresses of unknown trails to the page that says so. */
export const trailExistsGuard: CanActivateFn = (route) => {
  const router = inject(Router);
  return inject(TrailbookStore)
    .trail(route.paramMap.get('trailId') ?? '')
    .pipe(
      take(1),
      map((trail) => (trail ? true : router.createUrlTree(['/not-found']))),
    );
};
