import { ComponentFixture, TestBed } from '@angular/core/testing';
import { ReactiveFormsModule } from '@angular/forms';
import { ActivatedRoute, convertToParamMap, Router } from '@angular/router';
import { RouterTestingModule } from '@angular/router/testing';
import { of } from 'rxjs';

import { NoticeService } from '../core/notice.service';
import { SAMPLE_TRAILS } from '../core/sample-data';
import { TrailbookStore } from '../core/trailbook-store.service';
import { SharedModule } from '../shared/shared.module';
import { HikeFormComponent } from './hike-form.component';

describe('HikeFormComponent', () => {
  const store = { trails$: of(SAMPLE_TRAILS), add: jasmine.createSpy('add') };
  const route = { snapshot: { queryParamMap: convertToParamMap({ trail: 'crow-edge' }) } };
  let fixture: ComponentFixture<HikeFormComponent>;
  let page: HTMLElement;
  let navigate: jasmine.Spy;

  function enter(id: string, value: string): void {
    const input = page.querySelector(`#${id}`) as HTMLInputElement;
    input.value = value;
    input.dispatchEvent(new Event(input.tagName === 'SELECT' ? 'change' : 'input'));
  }

  function save(): void {
    (page.querySelector('#save') as HTMLButtonElement).click();
    fixture.detectChanges();
  }

  beforeEach(() => {
    store.add.calls.reset();
    store.add.and.returnValue(of(false));
    TestBed.configureTestingModule({
      declarations: [HikeFormComponent],
      imports: [ReactiveFormsModule, RouterTestingModule, SharedModule],
      providers: [
        { provide: TrailbookStore, useValue: store },
        { provide: ActivatedRoute, useValue: route },
      ],
    });
    navigate = spyOn(TestBed.inject(Router), 'navigate').and.resolveTo(true);
    fixture = TestBed.createComponent(HikeFormComponent);
    fixture.detectChanges();
    page = fixture.nativeElement;
  });

  it('asks for what is missing', () => {
    enter('trail', '');
    save();
    expect(page.querySelector('#trail-error')).not.toBeNull();
    expect(page.querySelector('#date-error')).not.toBeNull();
    expect(page.querySelector('#distance-error')).not.toBeNull();
    expect(store.add).not.toHaveBeenCalled();
  });

  it('starts with the trail of the address', () => {
    expect((page.querySelector('#trail') as HTMLSelectElement).value).toBe('crow-edge');
  });

  it('complains about an end before the start', () => {
    enter('start-time', '12:00');
    enter('end-time', '11:00');
    fixture.detectChanges();
    expect(page.querySelector('#order-error')).not.toBeNull();
  });

  it('complains about a pace that nobody walks', () => {
    enter('start-time', '10:00');
    enter('end-time', '11:00');
    enter('distance', '20');
    fixture.detectChanges();
    expect(page.querySelector('#pace-error')?.textContent).toContain('20 km/h');
  });

  it('shows the time walked', () => {
    enter('start-time', '10:00');
    enter('end-time', '12:30');
    fixture.detectChanges();
    expect(page.querySelector('#minutes')?.textContent).toContain('2 h 30 min');
  });

  it('saves a sound hike and returns to the journal', () => {
    enter('trail', 'mill-loop');
    enter('date', '2021-09-18');
    enter('start-time', '10:00');
    enter('end-time', '12:00');
    enter('distance', '6.2');
    save();

    expect(store.add).toHaveBeenCalledOnceWith({
      trailId: 'mill-loop',
      date: '2021-09-18',
      startTime: '10:00',
      endTime: '12:00',
      distanceKm: 6.2,
      rating: 3,
      companions: '',
      notes: '',
    });
    expect(navigate).toHaveBeenCalledOnceWith(['/journal']);
    let notice: string | null = null;
    TestBed.inject(NoticeService).notice$.subscribe((value) => (notice = value));
    expect(notice as string | null).toBe('Hike saved on this page only.');
  });
});
