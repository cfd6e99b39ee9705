import {
  ENVIRONMENT_INITIALIZER,
  EnvironmentProviders,
  inject,
  makeEnvironmentProviders,
} from '@angular/core';
import { provideRouter, Router, Routes, withComponentInputBinding } from '@angular/router';

import { NoticeService } from './notice.service';

/** A router that tells the reader, not the console, when a page's code cannot be fetched. */
export function provideTrailbookRouter(routes: Routes): EnvironmentProviders {
  return makeEnvironmentProviders([
    provideRouter(routes, withComponentInputBinding()),
    { provide: ENVIRONMENT_INITIALIZER, useValue: reportNavigationErrors, multi: true },
  ]);
}

function reportNavigationErrors(): void {
  const notices = inject(NoticeService);
  inject(Router).errorHandler = () => notices.show('That page could not be loaded.');
}
