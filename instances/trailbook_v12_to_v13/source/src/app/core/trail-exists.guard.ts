import { Injectable } from '@angular/core';
import { ActivatedRouteSnapshot, CanActivate, Router, UrlTree } from '@angular/router';
import { Observable } from 'rxjs';
import { map, take } from 'rxjs/operators';

import { TrailbookStore } from './trailbook-store.service';

/** Sends addresses of unknown trails to the page that says so. */
@Injectable({ providedIn: 'root' })
export class TrailExistsGuard implements CanActivate {
  constructor(
    private readonly store: TrailbookStore,
    private readonly router: Router,
  ) {}

  canActivate(route: ActivatedRouteSnapshot): Observable<boolean | UrlTree> {
    return this.store.trail(route.paramMap.get('trailId') ?? '').pipe(
      take(1),
      map((trail) => (trail ? true : this.router.createUrlTree(['/not-found']))),
    );
  }
}
