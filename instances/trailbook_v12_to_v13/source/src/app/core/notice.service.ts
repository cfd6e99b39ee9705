import { Injectable } from '@angular/core';
import { BehaviorSubject } from 'rxjs';

/** One short message to the reader, shown below the navigation. */
@Injectable({ providedIn: 'root' })
export class NoticeService {
  private readonly subject = new BehaviorSubject<string | null>(null);
  readonly notice$ = this.subject.asObservable();

  show(message: string): void {
    this.subject.next(message);
  }

  dismiss(): void {
    this.subject.next(null);
  }
}
