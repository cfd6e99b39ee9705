import { TestBed } from '@angular/core/testing';
import { of } from 'rxjs';

import { HikeDraft, JournalEntry, JournalTotals } from './models';
import { SAMPLE_HIKES, SAMPLE_TRAILS } from './sample-data';
import { TrailApiService } from './trail-api.service';
import { TrailbookStore } from './trailbook-store.service';

const DRAFT: HikeDraft = {
  trailId: 'needle-stair',
  date: '2021-07-01',
  startTime: '08:00',
  endTime: '11:00',
  distanceKm: 7.9,
  rating: 4,
  companions: '',
  notes: '',
};

describe('TrailbookStore', () => {
  let store: TrailbookStore;
  let journal: JournalEntry[];
  let totals: JournalTotals;

  beforeEach(() => {
    const api = {
      trails: () => of(SAMPLE_TRAILS),
      hikes: () => of(SAMPLE_HIKES),
      save: () => of(false),
    };
    TestBed.configureTestingModule({ providers: [{ provide: TrailApiService, useValue: api }] });
    store = TestBed.inject(TrailbookStore);
    store.journal$.subscribe((value) => (journal = value));
    store.totals$.subscribe((value) => (totals = value));
    store.load().subscribe();
  });

  it('lists the newest hike first', () => {
    expect(journal.map((entry) => entry.hike.id)).toEqual([4, 3, 2, 1]);
  });

  it('adds up all hikes', () => {
    expect(totals.hikes).toBe(4);
    expect(totals.distanceKm).toBeCloseTo(42.9);
    expect(totals.ascentM).toBe(2050);
    expect(totals.minutes).toBe(965);
  });

  it('puts a new hike where its date belongs', () => {
    let synced: boolean | undefined;
    store.add(DRAFT).subscribe((value) => (synced = value));

    expect(synced).toBeFalse();
    expect(journal.map((entry) => entry.hike.id)).toEqual([4, 5, 3, 2, 1]);
    expect(journal[1].minutes).toBe(180);
  });

  it('leaves out hikes on unknown trails', () => {
    store.merge([{ ...DRAFT, trailId: 'nowhere' }]);
    expect(journal.length).toBe(4);
  });

  it('numbers merged hikes one after the other', () => {
    store.merge([DRAFT, DRAFT]);
    expect(journal.slice(1, 3).map((entry) => entry.hike.id)).toEqual([6, 5]);
  });

  it('removes a hike', () => {
    store.remove(2);
    expect(journal.map((entry) => entry.hike.id)).toEqual([4, 3, 1]);
  });

  it('finds the hikes on one trail', () => {
    let here: JournalEntry[] = [];
    store.journalOn('crow-edge').subscribe((value) => (here = value));
    expect(here.map((entry) => entry.hike.id)).toEqual([4]);
  });
});
