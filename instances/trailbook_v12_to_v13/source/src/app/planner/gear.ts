export interface GearItem {
  name: string;
  reason: string;
}

const ALWAYS: readonly GearItem[] = [
  { name: 'Water', reason: 'always' },
  { name: 'Map and compass', reason: 'always' },
  { name: 'Rain jacket', reason: 'always' },
];

const POLES_FROM_METRES = 800;
const LAMP_FROM_MINUTES = 6 * 60;

/** What to pack for days of so many minutes and so much ascent in all. */
export function gearFor(minutesPerDay: readonly number[], ascentM: number): GearItem[] {
  const items = [...ALWAYS];
  if (minutesPerDay.filter((minutes) => minutes > 0).length > 1) {
    items.push({ name: 'Sleeping bag', reason: 'two days out' });
  }
  if (ascentM >= POLES_FROM_METRES) {
    items.push({ name: 'Walking poles', reason: `${ascentM} m of ascent` });
  }
  if (Math.max(0, ...minutesPerDay) >= LAMP_FROM_MINUTES) {
    items.push({ name: 'Head lamp', reason: 'a long day' });
  }
  return items;
}
