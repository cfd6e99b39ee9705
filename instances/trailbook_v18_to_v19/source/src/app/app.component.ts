import { Component, inject } from '@angular/core';
import { RouterLink, RouterLinkActive, RouterOutlet } from '@angular/router';

import { BackendStatusService } from './core/backend-status.service';
import { NoticeService } from './core/notice.service';

@Component({
  selector: 'tb-root',
  standalone: true,
  imports: [RouterLink, RouterLinkActive, RouterOutlet],
  templateUrl: './app.component.html',
  styleUrl: './app.component.scss',
})
export class AppComponent {
  private readonly notices = inject(NoticeService);

  readonly links = [
    { path: '/', label: 'Home' },
    { path: '/trails', label: 'Trails' },
    { path: '/journal', label: 'Journal' },
    { path: '/planner', label: 'Planner' },
    { path: '/about', label: 'About' },
  ];
  readonly offline = inject(BackendStatusService).offline;
  readonly notice = this.notices.notice;

  dismiss(): void {
    this.notices.dismiss();
  }
}
