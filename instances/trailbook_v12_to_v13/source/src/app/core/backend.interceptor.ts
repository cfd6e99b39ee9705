import {
  HttpErrorResponse,
  HttpEvent,
  HttpHandler,
  HttpInterceptor,
  HttpRequest,
  HttpResponse,
} from '@angular/common/http';
import { Injectable } from '@angular/core';
import { Observable, throwError } from 'rxjs';
import { catchError, tap, timeout } from 'rxjs/operators';

import { environment } from '../../environments/environment';
import { BackendStatusService } from './backend-status.service';

const PATIENCE_MS = 4000;

/** Watches the back end and spares it requests once it has been found missing. */
@Injectable()
export class BackendInterceptor implements HttpInterceptor {
  constructor(private readonly status: BackendStatusService) {}

  intercept(request: HttpRequest<unknown>, next: HttpHandler): Observable<HttpEvent<unknown>> {
    if (!request.url.startsWith(environment.apiPrefix)) {
      return next.handle(request);
    }
    if (this.status.offline) {
      return throwError(new Error(`back end is offline: ${request.url}`));
    }
    return next.handle(request.clone({ setHeaders: { Accept: 'application/json' } })).pipe(
      timeout(PATIENCE_MS),
      tap((event) => {
        if (event instanceof HttpResponse) {
          this.status.report('online');
        }
      }),
      catchError((error: unknown) => {
        if (!isRefusal(error)) {
          this.status.report('offline');
        }
        return throwError(error);
      }),
    );
  }
}

/** A back end that is there may still refuse a request. */
function isRefusal(error: unknown): boolean {
  return error instanceof HttpErrorResponse && [400, 401, 403, 409, 422].includes(error.status);
}
