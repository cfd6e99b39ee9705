import { HTTP_INTERCEPTORS } from '@angular/common/http';
import { HttpClientTestingModule, HttpTestingController } from '@angular/common/http/testing';
import { fakeAsync, TestBed, tick } from '@angular/core/testing';

import { BackendInterceptor } from './backend.interceptor';
import { BackendStatus, BackendStatusService } from './backend-status.service';
import { HikeDraft, Trail } from './models';
import { SAMPLE_HIKES, SAMPLE_TRAILS } from './sample-data';
import { TrailApiService } from './trail-api.service';

describe('TrailApiService', () => {
  let api: TrailApiService;
  let http: HttpTestingController;
  let status: BackendStatus;

  beforeEach(() => {
    TestBed.configureTestingModule({
      imports: [HttpClientTestingModule],
      providers: [{ provide: HTTP_INTERCEPTORS, useClass: BackendInterceptor, multi: true }],
    });
    api = TestBed.inject(TrailApiService);
    http = TestBed.inject(HttpTestingController);
    TestBed.inject(BackendStatusService).status$.subscribe((value) => (status = value));
  });

  afterEach(() => http.verify());

  it('returns what the back end answers', () => {
    const remote = [{ ...SAMPLE_TRAILS[0], name: 'From afar' }];
    let trails: readonly Trail[] = [];
    api.trails().subscribe((value) => (trails = value));

    const request = http.expectOne('api/trails');
    expect(request.request.headers.get('Accept')).toBe('application/json');
    request.flush(remote);

    expect(trails).toEqual(remote);
    expect(status).toBe('online');
  });

  it('falls back to the sample when there is no back end', () => {
    let trails: readonly Trail[] = [];
    api.trails().subscribe((value) => (trails = value));
    http.expectOne('api/trails').flush('', { status: 404, statusText: 'Not Found' });

    expect(trails).toBe(SAMPLE_TRAILS);
    expect(status).toBe('offline');
  });

  it('falls back to the sample when the answer is not a list', () => {
    let trails: readonly Trail[] = [];
    api.trails().subscribe((value) => (trails = value));
    http.expectOne('api/trails').flush({ page: 'index' });

    expect(trails).toBe(SAMPLE_TRAILS);
  });

  it('gives up on a back end that does not answer', fakeAsync(() => {
    let trails: readonly Trail[] = [];
    api.trails().subscribe((value) => (trails = value));
    const request = http.expectOne('api/trails');
    tick(4000);

    expect(request.cancelled).toBeTrue();
    expect(trails).toBe(SAMPLE_TRAILS);
    expect(status).toBe('offline');
  }));

  it('does not ask a missing back end twice', () => {
    api.trails().subscribe();
    http.expectOne('api/trails').error(new ErrorEvent('error'));
    let hikes: unknown;
    api.hikes().subscribe((value) => (hikes = value));

    http.expectNone('api/hikes');
    expect(hikes).toBe(SAMPLE_HIKES);
  });

  it('stays online when the back end refuses a hike', () => {
    const draft: HikeDraft = { ...SAMPLE_HIKES[0], trailId: 'salt-path' };
    let saved: boolean | undefined;
    api.trails().subscribe();
    http.expectOne('api/trails').flush([]);
    api.save(draft).subscribe((value) => (saved = value));
    const request = http.expectOne({ method: 'POST', url: 'api/hikes' });
    expect(request.request.body).toEqual(draft);
    request.flush('', { status: 422, statusText: 'Unprocessable' });

    expect(saved).toBeFalse();
    expect(status).toBe('online');
  });
});
