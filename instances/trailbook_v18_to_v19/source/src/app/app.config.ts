import { provideHttpClient, withInterceptors } from '@angular/common/http';
import { APP_INITIALIZER, ApplicationConfig, provideZoneChangeDetection } from '@angular/core';

import { routes } from './app.routes';
import { backendInterceptor } from './core/backend.interceptor';
import { provideTrailbookRouter } from './core/trailbook-router';
import { TrailbookStore } from './core/trailbook-store.service';

export const appConfig: ApplicationConfig = {
  providers: [
    provideZoneChangeDetection({ eventCoalescing: true }),
    provideTrailbookRouter(routes),
    provideHttpClient(withInterceptors([backendInterceptor])),
    {
      provide: APP_INITIALIZER,
      useFactory: (store: TrailbookStore) => () => store.load(),
      deps: [TrailbookStore],
      multi: true,
    },
  ],
};
