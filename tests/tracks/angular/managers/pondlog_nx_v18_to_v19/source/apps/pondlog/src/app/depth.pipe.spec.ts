import { DepthPipe } from './depth.pipe';

describe('DepthPipe', () => {
  it('writes shallow water in centimetres', () => {
    expect(new DepthPipe().transform(95)).toBe('95 cm');
  });

  it('writes deep water in metres', () => {
    expect(new DepthPipe().transform(640)).toBe('6.4 m');
  });
});
