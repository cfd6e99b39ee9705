import { Component } from '@angular/core';
import { Title } from '@angular/platform-browser';
import { ActivatedRouteSnapshot, NavigationEnd, Router } from '@angular/router';
import { filter } from 'rxjs/operators';

import { BackendStatusService } from './core/backend-status.service';
import { NoticeService } from './core/notice.service';

@Component({
  selector: 'tb-root',
  templateUrl: './app.component.html',
  styleUrls: ['./app.component.scss'],
})
export class AppComponent {
  readonly links = [
    { path: '/', label: 'Home' },
    { path: '/trails', label: 'Trails' },
    { path: '/journal', label: 'Journal' },
    { path: '/planner', label: 'Planner' },
    { path: '/about', label: 'About' },
  ];
  readonly status$ = this.backend.status$;
  readonly notice$ = this.notices.notice$;

  constructor(
    router: Router,
    title: Title,
    private readonly backend: BackendStatusService,
    private readonly notices: NoticeService,
  ) {
    router.events
      .pipe(filter((event) => event instanceof NavigationEnd))
      .subscribe(() => title.setTitle(titleOf(router.routerState.snapshot.root)));
  }

  dismiss(): void {
    this.notices.dismiss();
  }
}

/** The title of the innermost active route. */
function titleOf(route: ActivatedRouteSnapshot): string {
  if (route.firstChild) {
    return titleOf(route.firstChild);
  }
  return route.data.title ? `${route.data.title} · Trailbook` : 'Trailbook';
}
