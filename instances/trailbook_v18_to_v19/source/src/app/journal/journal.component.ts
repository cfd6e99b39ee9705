import { DatePipe, DecimalPipe } from '@angular/common';
import { Component, inject, signal } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { FormControl, ReactiveFormsModule } from '@angular/forms';
import { RouterLink } from '@angular/router';

import { JournalTransferService } from '../core/journal-transfer.service';
import { NoticeService } from '../core/notice.service';
import { TrailbookStore } from '../core/trailbook-store.service';
import { SharedModule } from '../shared/shared.module';

@Component({
  selector: 'tb-journal',
  standalone: true,
  imports: [DatePipe, DecimalPipe, ReactiveFormsModule, RouterLink, SharedModule],
  templateUrl: './journal.component.html',
})
export class JournalComponent {
  private readonly store = inject(TrailbookStore);
  private readonly transfer = inject(JournalTransferService);
  private readonly notices = inject(NoticeService);

  readonly journal = toSignal(this.store.journal$, { requireSync: true });
  readonly importText = new FormControl('', { nonNullable: true });
  readonly importError = signal<string | null>(null);

  remove(hikeId: number): void {
    this.store.remove(hikeId);
  }

  importHikes(): void {
    const result = this.transfer.read(this.importText.value);
    if (!result.ok) {
      this.importError.set(`Nothing imported: ${result.message}.`);
      return;
    }
    this.importError.set(null);
    this.importText.reset();
    this.store.merge(result.drafts);
    this.notices.show(`Imported hikes: ${result.drafts.length}.`);
  }
}
