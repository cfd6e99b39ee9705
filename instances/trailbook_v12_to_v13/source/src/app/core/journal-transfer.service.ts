import { Injectable } from '@angular/core';

import { HikeDraft } from './models';
import { minutesOfDay } from './walking-time';

export type ImportResult = { ok: true; drafts: HikeDraft[] } | { ok: false; message: string };

/** Reads hikes from the JSON text that other hiking logs write. */
@Injectable({ providedIn: 'root' })
export class JournalTransferService {
  read(text: string): ImportResult {
    try {
      const rows: unknown = JSON.parse(text);
      if (!Array.isArray(rows)) {
        throw new Error('the text is not a list of hikes');
      }
      return { ok: true, drafts: rows.map((row, index) => this.readRow(row, index + 1)) };
    } catch (error) {
      return {
        ok: false,
        message: error instanceof SyntaxError ? 'the text is not JSON' : error.message,
      };
    }
  }

  private readRow(row: Partial<HikeDraft> | null, number: number): HikeDraft {
    if (!row?.trailId || !/^\d{4}-\d{2}-\d{2}$/.test(row.date ?? '')) {
      throw new Error(`hike ${number} needs a trailId and a date`);
    }
    const { trailId, date = '', startTime = '', endTime = '' } = row;
    if (!(minutesOfDay(startTime) < minutesOfDay(endTime))) {
      throw new Error(`hike ${number} does not end after it starts`);
    }
    return {
      trailId,
      date,
      startTime,
      endTime,
      distanceKm: Number(row.distanceKm ?? 0),
      rating: Number(row.rating ?? 3),
      companions: row.companions ?? '',
      notes: row.notes ?? '',
    };
  }
}
