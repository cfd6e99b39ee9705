import { Component } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { Router } from '@angular/router';
import { RouterTestingHarness } from '@angular/router/testing';

import { NoticeService } from './notice.service';
import { provideTrailbookRouter } from './trailbook-router';

@Component({ standalone: true, template: 'home' })
class HomePageComponent {}

describe('provideTrailbookRouter', () => {
  it('stays on the page and says so when the next one cannot be fetched', async () => {
    TestBed.configureTestingModule({
      providers: [
        provideTrailbookRouter([
          { path: 'home', component: HomePageComponent },
          { path: 'broken', loadComponent: () => Promise.reject(new Error('chunk is missing')) },
        ]),
      ],
    });
    await RouterTestingHarness.create('/home');

    await TestBed.inject(Router).navigateByUrl('/broken');

    expect(TestBed.inject(Router).url).toBe('/home');
    expect(TestBed.inject(NoticeService).notice()).toBe('That page could not be loaded.');
  });
});
