/** How demanding a trail is: 1 easy, 2 moderate, 3 hard. */
export type Grade = 1 | 2 | 3;

export interface Waypoint {
  name: string;
  /** Distance from the trail head. */
  km: number;
}

export interface Trail {
  /** Doubles as the trail's address: lower case words joined by hyphens. */
  id: string;
  name: string;
  region: string;
  lengthKm: number;
  ascentM: number;
  grade: Grade;
  summary: string;
  waypoints: Waypoint[];
}

export interface Hike {
  id: number;
  trailId: string;
  /** Calendar day, `yyyy-mm-dd`. */
  date: string;
  /** Wall clock times of the same day, `hh:mm`. */
  startTime: string;
  endTime: string;
  distanceKm: number;
  /** One to five. */
  rating: number;
  companions: string;
  notes: string;
}

/** A hike that has no number yet. */
export type HikeDraft = Omit<Hike, 'id'>;

/** A hike together with the trail it was walked on. */
export interface JournalEntry {
  hike: Hike;
  trail: Trail;
  minutes: number;
}

export interface JournalTotals {
  hikes: number;
  distanceKm: number;
  ascentM: number;
  minutes: number;
}
