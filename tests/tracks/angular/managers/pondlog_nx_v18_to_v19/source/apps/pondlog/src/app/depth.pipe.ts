import { Pipe, PipeTransform } from '@angular/core';

@Pipe({ name: 'depth' })
export class DepthPipe implements PipeTransform {
  transform(centimetres: number): string {
    return centimetres < 100 ? `${centimetres} cm` : `${(centimetres / 100).toFixed(1)} m`;
  }
}
