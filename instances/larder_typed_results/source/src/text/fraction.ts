const GLYPHS: Array<[number, string]> = [
  [1 / 8, '1/8'],
  [1 / 4, '1/4'],
  [1 / 3, '1/3'],
  [1 / 2, '1/2'],
  [2 / 3, '2/3'],
  [3 / 4, '3/4'],
];

/** A number for reading: 1.5 becomes "1 1/2", 0.3333 "1/3"; others have up to two decimals. */
export function fraction(value: number): string {
  const whole = Math.floor(value + 1e-9);
  const rest = value - whole;
  if (rest < 0.005) {
    return String(whole);
  }
  for (const [size, glyph] of GLYPHS) {
    if (Math.abs(rest - size) < 0.005) {
      return whole === 0 ? glyph : `${whole} ${glyph}`;
    }
  }
  return decimal(value, 2);
}

/** Rounded half up, without zeros at the end. */
export function decimal(value: number, places: number): string {
  const scale = 10 ** places;
  return String(Math.round(value * scale + 1e-9) / scale);
}
