import { TestBed } from '@angular/core/testing';
import { RouterTestingModule } from '@angular/router/testing';

import { AppComponent } from './app.component';
import { BackendStatusService } from './core/backend-status.service';
import { NoticeService } from './core/notice.service';

describe('AppComponent', () => {
  beforeEach(() => {
    TestBed.configureTestingModule({
      declarations: [AppComponent],
      imports: [RouterTestingModule],
    });
  });

  it('links to every page', () => {
    const fixture = TestBed.createComponent(AppComponent);
    fixture.detectChanges();
    const page: HTMLElement = fixture.nativeElement;
    const links = Array.from(page.querySelectorAll('nav a'), (link) => link.getAttribute('href'));
    expect(links).toEqual(['/', '/trails', '/journal', '/planner', '/about']);
  });

  it('says when the back end is missing', () => {
    const fixture = TestBed.createComponent(AppComponent);
    fixture.detectChanges();
    expect(fixture.nativeElement.querySelector('#offline')).toBeNull();

    TestBed.inject(BackendStatusService).report('offline');
    fixture.detectChanges();
    expect(fixture.nativeElement.querySelector('#offline').textContent).toContain('sample data');
  });

  it('shows a notice until it is dismissed', () => {
    const fixture = TestBed.createComponent(AppComponent);
    TestBed.inject(NoticeService).show('Hike saved.');
    fixture.detectChanges();
    const notice: HTMLElement = fixture.nativeElement.querySelector('#notice');
    expect(notice.textContent).toContain('Hike saved.');

    notice.querySelector('button')?.click();
    fixture.detectChanges();
    expect(fixture.nativeElement.querySelector('#notice')).toBeNull();
  });
});
