export interface Pond {
  name: string;
  depthCm: number;
}
