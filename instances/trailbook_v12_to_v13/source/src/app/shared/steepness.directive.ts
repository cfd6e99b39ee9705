import { Directive, HostBinding, Input } from '@angular/core';

import { Trail } from '../core/models';

export type Steepness = 'gentle' | 'moderate' | 'steep';

/** Colours an element by how many metres its trail climbs per kilometre. */
@Directive({ selector: '[tbSteepness]' })
export class SteepnessDirective {
  @Input('tbSteepness') trail!: Pick<Trail, 'lengthKm' | 'ascentM'>;

  @HostBinding('class')
  get hostClass(): string {
    return `steepness-${this.steepness}`;
  }

  @HostBinding('attr.title')
  get title(): string {
    return `${Math.round(this.metresPerKm)} m up per km, ${this.steepness}`;
  }

  private get metresPerKm(): number {
    return this.trail.ascentM / this.trail.lengthKm;
  }

  private get steepness(): Steepness {
    if (this.metresPerKm < 40) {
      return 'gentle';
    }
    return this.metresPerKm < 80 ? 'moderate' : 'steep';
  }
}
