import { HttpErrorResponse, HttpInterceptorFn, HttpResponse } from '@angular/common/http';
import { inject } from '@angular/core';
import { throwError } from 'rxjs';
import { catchError, tap, timeout } from 'rxjs/operators';

import { BackendStatusService } from './backend-status.service';

export const API_PREFIX = 'api/';
const PATIENCE_MS = 4000;

/** Watches the back end and spares it requests once it has been found missing. */
export const backendInterceptor: HttpInterceptorFn = (request, next) => {
  if (!request.url.startsWith(API_PREFIX)) {
    return next(request);
  }
  const status = inject(BackendStatusService);
  if (status.offline()) {
    return throwError(() => new Error(`back end is offline: ${request.url}`));
  }
  return next(request.clone({ setHeaders: { Accept: 'application/json' } })).pipe(
    timeout(PATIENCE_MS),
    tap((event) => {
      if (event instanceof HttpResponse) {
        status.report('online');
      }
    }),
    catchError((error: unknown) => {
      if (!isRefusal(error)) {
        status.report('offline');
      }
      return throwError(() => error);
    }),
  );
};

/** A back end that is there may still refuse a request. */
function isRefusal(error: unknown): boolean {
  return error instanceof HttpErrorResponse && [400, 401, 403, 409, 422].includes(error.status);
}
