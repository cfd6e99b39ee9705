import { JournalTransferService } from './journal-transfer.service';

describe('JournalTransferService', () => {
  const transfer = new JournalTransferService();
  const row = { trailId: 'mill-loop', date: '2021-09-18', startTime: '10:00', endTime: '12:00' };

  it('reads hikes and fills in what is missing', () => {
    const result = transfer.read(JSON.stringify([row]));
    expect(result).toEqual({
      ok: true,
      drafts: [{ ...row, distanceKm: 0, rating: 3, companions: '', notes: '' }],
    });
  });

  it('refuses text that is not JSON', () => {
    expect(transfer.read('mill-loop')).toEqual({ ok: false, message: 'the text is not JSON' });
  });

  it('refuses JSON that is not a list', () => {
    expect(transfer.read('{}')).toEqual({
      ok: false,
      message: 'the text is not a list of hikes',
    });
  });

  it('names the hike that lacks a field', () => {
    const text = JSON.stringify([row, { trailId: 'mill-loop' }]);
    expect(transfer.read(text)).toEqual({
      ok: false,
      message: 'hike 2 needs a trailId and a date',
    });
  });

  it('refuses a hike that ends before it starts', () => {
    const text = JSON.stringify([{ ...row, endTime: '09:00' }]);
    expect(transfer.read(text)).toEqual({
      ok: false,
      message: 'hike 1 does not end after it starts',
    });
  });
});
