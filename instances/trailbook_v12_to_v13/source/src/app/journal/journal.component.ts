import { Component } from '@angular/core';
import { FormControl } from '@angular/forms';

import { JournalTransferService } from '../core/journal-transfer.service';
import { NoticeService } from '../core/notice.service';
import { TrailbookStore } from '../core/trailbook-store.service';

@Component({
  selector: 'tb-journal',
  templateUrl: './journal.component.html',
})
export class JournalComponent {
  readonly journal$ = this.store.journal$;
  readonly importText = new FormControl('');
  importError: string | null = null;

  constructor(
    private readonly store: TrailbookStore,
    private readonly transfer: JournalTransferService,
    private readonly notices: NoticeService,
  ) {}

  remove(hikeId: number): void {
    this.store.remove(hikeId);
  }

  importHikes(): void {
    const result = this.transfer.read(this.importText.value);
    if (!result.ok) {
      this.importError = `Nothing imported: ${result.message}.`;
      return;
    }
    this.importError = null;
    this.importText.reset('');
    this.store.merge(result.drafts);
    this.notices.show(`Imported hikes: ${result.drafts.length}.`);
  }
}
