import { computed, Injectable, signal } from '@angular/core';

export type BackendStatus = 'unknown' | 'online' | 'offline';

/** Remembers whether the back end answers, so that it is not asked again in vain. */
@Injectable({ providedIn: 'root' })
export class BackendStatusService {
  private readonly current = signal<BackendStatus>('unknown');
  readonly status = this.current.asReadonly();
  readonly offline = computed(() => this.status() === 'offline');

  report(status: BackendStatus): void {
    this.current.set(status);
  }
}
