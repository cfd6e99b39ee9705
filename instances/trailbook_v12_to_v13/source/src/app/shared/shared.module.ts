import { CommonModule } from '@angular/common';
import { NgModule } from '@angular/core';

import { DurationPipe } from './duration.pipe';
import { GradePipe } from './grade.pipe';
import { SteepnessDirective } from './steepness.directive';

@NgModule({
  declarations: [DurationPipe, GradePipe, SteepnessDirective],
  imports: [CommonModule],
  exports: [CommonModule, DurationPipe, GradePipe, SteepnessDirective],
})
export class SharedModule {}
