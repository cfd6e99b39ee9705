import { Pipe, PipeTransform } from '@angular/core';

import { Grade } from '../core/models';

const NAMES: Record<Grade, string> = { 1: 'Easy', 2: 'Moderate', 3: 'Hard' };

@Pipe({ name: 'grade' })
export class GradePipe implements PipeTransform {
  transform(grade: Grade): string {
    return NAMES[grade];
  }
}
