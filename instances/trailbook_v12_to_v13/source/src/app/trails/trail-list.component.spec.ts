import { ComponentFixture, TestBed } from '@angular/core/testing';
import { ReactiveFormsModule } from '@angular/forms';
import { ActivatedRoute, convertToParamMap } from '@angular/router';
import { RouterTestingModule } from '@angular/router/testing';
import { BehaviorSubject, of } from 'rxjs';

import { SAMPLE_TRAILS } from '../core/sample-data';
import { TrailbookStore } from '../core/trailbook-store.service';
import { SharedModule } from '../shared/shared.module';
import { TrailListComponent } from './trail-list.component';

describe('TrailListComponent', () => {
  const queryParamMap = new BehaviorSubject(convertToParamMap({}));
  let fixture: ComponentFixture<TrailListComponent>;
  let page: HTMLElement;

  const names = () =>
    Array.from(page.querySelectorAll('#trails h2'), (element) => element.textContent?.trim());

  beforeEach(() => {
    TestBed.configureTestingModule({
      declarations: [TrailListComponent],
      imports: [ReactiveFormsModule, RouterTestingModule, SharedModule],
      providers: [
        { provide: TrailbookStore, useValue: { trails$: of(SAMPLE_TRAILS) } },
        { provide: ActivatedRoute, useValue: { queryParamMap } },
      ],
    });
    queryParamMap.next(convertToParamMap({}));
    fixture = TestBed.createComponent(TrailListComponent);
    fixture.detectChanges();
    page = fixture.nativeElement;
  });

  it('shows all trails at first', () => {
    expect(page.querySelector('h1')?.textContent).toBe('All trails');
    expect(names().length).toBe(SAMPLE_TRAILS.length);
  });

  it('shows the grade that the address asks for', () => {
    queryParamMap.next(convertToParamMap({ grade: '3' }));
    fixture.detectChanges();
    expect(page.querySelector('h1')?.textContent).toBe('Hard trails');
    expect(names()).toEqual(['Crow Edge', 'Needle Stair']);
  });

  it('links to every grade', () => {
    const links = Array.from(page.querySelectorAll('nav a'), (link) => link.getAttribute('href'));
    expect(links).toEqual(['/', '/?grade=1', '/?grade=2', '/?grade=3']);
  });

  it('searches names and regions', () => {
    const search = page.querySelector('input') as HTMLInputElement;
    search.value = ' lowLAND';
    search.dispatchEvent(new Event('input'));
    fixture.detectChanges();
    expect(names()).toEqual(['Mill Loop', 'Beech Hollow']);
    expect(page.querySelector('#trail-count')?.textContent).toContain('2 of our trails');
  });
});
