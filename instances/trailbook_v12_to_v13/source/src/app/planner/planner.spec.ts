import { ComponentFixture, TestBed } from '@angular/core/testing';
import { ReactiveFormsModule } from '@angular/forms';
import { RouterTestingModule } from '@angular/router/testing';
import { of } from 'rxjs';

import { SAMPLE_TRAILS } from '../core/sample-data';
import { TrailbookStore } from '../core/trailbook-store.service';
import { SharedModule } from '../shared/shared.module';
import { gearFor } from './gear';
import { PlannerComponent } from './planner.component';
import { PlannedDay, PlannerStore } from './planner-store.service';

const [HERON_RIDGE, MILL_LOOP, CROW_EDGE] = SAMPLE_TRAILS;

describe('gearFor', () => {
  const names = (minutesPerDay: number[], ascentM: number) =>
    gearFor(minutesPerDay, ascentM).map((item) => item.name);

  it('packs the least for an empty plan', () => {
    expect(names([0, 0], 0)).toEqual(['Water', 'Map and compass', 'Rain jacket']);
  });

  it('packs more for long, steep and many days', () => {
    expect(names([90, 0], 800)).toContain('Walking poles');
    expect(names([360, 0], 0)).toContain('Head lamp');
    expect(names([90, 90], 0)).toContain('Sleeping bag');
  });
});

describe('PlannerStore', () => {
  let planner: PlannerStore;
  let days: PlannedDay[];
  let tooLong: boolean;
  let gear: string[];

  beforeEach(() => {
    planner = new PlannerStore();
    planner.days$.subscribe((value) => (days = value));
    planner.tooLong$.subscribe((value) => (tooLong = value));
    planner.gear$.subscribe((items) => (gear = items.map((item) => item.name)));
  });

  it('adds up each day', () => {
    expect(days.map((day) => day.minutes)).toEqual([0, 0]);
    planner.add(0, MILL_LOOP);
    planner.add(0, HERON_RIDGE);
    planner.add(1, CROW_EDGE);
    expect(days.map((day) => day.minutes)).toEqual([295, 302]);
    expect(tooLong).toBeFalse();
  });

  it('packs for the ascent of both days', () => {
    planner.add(0, MILL_LOOP);
    planner.add(0, HERON_RIDGE);
    expect(gear).not.toContain('Walking poles');
    planner.add(1, CROW_EDGE);
    expect(gear).toContain('Walking poles');
  });

  it('notices a day that is too long', () => {
    planner.add(1, CROW_EDGE);
    planner.add(1, HERON_RIDGE);
    expect(tooLong).toBeTrue();
    planner.remove(1, 0);
    expect(tooLong).toBeFalse();
    expect(days[1].trails).toEqual([HERON_RIDGE]);
  });

  it('forgets the plan', () => {
    planner.add(0, MILL_LOOP);
    planner.clear();
    expect(days.map((day) => day.trails.length)).toEqual([0, 0]);
  });
});

describe('PlannerComponent', () => {
  let fixture: ComponentFixture<PlannerComponent>;
  let page: HTMLElement;

  beforeEach(() => {
    const store = {
      trails$: of(SAMPLE_TRAILS),
      trail: (id: string) => of(SAMPLE_TRAILS.find((trail) => trail.id === id)),
    };
    TestBed.configureTestingModule({
      declarations: [PlannerComponent],
      imports: [ReactiveFormsModule, RouterTestingModule, SharedModule],
      providers: [PlannerStore, { provide: TrailbookStore, useValue: store }],
    });
    fixture = TestBed.createComponent(PlannerComponent);
    fixture.detectChanges();
    page = fixture.nativeElement;
  });

  it('puts the chosen trail on the chosen day', () => {
    const trail = page.querySelector('#plan-trail') as HTMLSelectElement;
    const day = page.querySelector('#plan-day') as HTMLSelectElement;
    trail.value = 'salt-path';
    trail.dispatchEvent(new Event('change'));
    day.selectedIndex = 1;
    day.dispatchEvent(new Event('change'));
    fixture.detectChanges();
    (page.querySelector('#plan-add') as HTMLButtonElement).click();
    fixture.detectChanges();

    const sunday = page.querySelector('section[aria-labelledby="day-1"]');
    expect(sunday?.querySelector('li')?.textContent).toContain('Salt Carrier Path');
    expect(sunday?.querySelector('.day-time')?.textContent).toContain('4 h 52 min');
  });

  it('cannot add nothing', () => {
    expect((page.querySelector('#plan-add') as HTMLButtonElement).disabled).toBeTrue();
  });
});
