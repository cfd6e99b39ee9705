import { Component } from '@angular/core';
import { TestBed } from '@angular/core/testing';

import { DurationPipe } from './duration.pipe';
import { SharedModule } from './shared.module';

@Component({
  template: `
    <p id="gentle" [tbSteepness]="{ lengthKm: 10, ascentM: 100 }">{{ 1 | grade }}</p>
    <p id="moderate" class="kept" [tbSteepness]="{ lengthKm: 10, ascentM: 500 }">{{ 2 | grade }}</p>
    <p id="steep" [tbSteepness]="{ lengthKm: 10, ascentM: 900 }">{{ 3 | grade }}</p>
  `,
})
class HostComponent {}

describe('DurationPipe', () => {
  const pipe = new DurationPipe();

  it('writes minutes and hours', () => {
    expect(pipe.transform(45)).toBe('45 min');
    expect(pipe.transform(120)).toBe('2 h');
    expect(pipe.transform(200)).toBe('3 h 20 min');
  });

  it('writes a dash for no time', () => {
    expect(pipe.transform(null)).toBe('–');
    expect(pipe.transform(NaN)).toBe('–');
    expect(pipe.transform(-5)).toBe('–');
  });
});

describe('SharedModule', () => {
  let page: HTMLElement;

  beforeEach(() => {
    TestBed.configureTestingModule({ declarations: [HostComponent], imports: [SharedModule] });
    const fixture = TestBed.createComponent(HostComponent);
    fixture.detectChanges();
    page = fixture.nativeElement;
  });

  it('names grades', () => {
    const names = Array.from(page.querySelectorAll('p'), (element) => element.textContent);
    expect(names).toEqual(['Easy', 'Moderate', 'Hard']);
  });

  it('marks steepness and keeps other classes', () => {
    expect(page.querySelector('#gentle')?.className).toBe('steepness-gentle');
    expect(page.querySelector('#moderate')?.classList).toContain('kept');
    expect(page.querySelector('#moderate')?.classList).toContain('steepness-moderate');
    expect(page.querySelector('#steep')?.getAttribute('title')).toBe('90 m up per km, steep');
  });
});
