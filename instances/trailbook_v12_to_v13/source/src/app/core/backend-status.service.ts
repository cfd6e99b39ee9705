import { Injectable } from '@angular/core';
import { BehaviorSubject } from 'rxjs';
import { distinctUntilChanged } from 'rxjs/operators';

export type BackendStatus = 'unknown' | 'online' | 'offline';

/** Remembers whether the back end answers, so that it is not asked again in vain. */
@Injectable({ providedIn: 'root' })
export class BackendStatusService {
  private readonly subject = new BehaviorSubject<BackendStatus>('unknown');
  readonly status$ = this.subject.pipe(distinctUntilChanged());

  get offline(): boolean {
    return this.subject.value === 'offline';
  }

  report(status: BackendStatus): void {
    this.subject.next(status);
  }
}
