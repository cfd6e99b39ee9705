import { Injectable, signal } from '@angular/core';

/** One short message to the reader, shown below the navigation. */
@Injectable({ providedIn: 'root' })
export class NoticeService {
  private readonly current = signal<string | null>(null);
  readonly notice = this.current.asReadonly();

  show(message: string): void {
    this.current.set(message);
  }

  dismiss(): void {
    this.current.set(null);
  }
}
