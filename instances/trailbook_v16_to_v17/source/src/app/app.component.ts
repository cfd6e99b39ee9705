import { Component } from '@angular/core';

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
    private readonly backend: BackendStatusService,
    private readonly notices: NoticeService,
  ) {}

  dismiss(): void {
    this.notices.dismiss();
  }
}
