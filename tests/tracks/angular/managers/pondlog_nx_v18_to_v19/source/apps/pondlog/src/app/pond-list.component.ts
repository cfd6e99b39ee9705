import { Component } from '@angular/core';
import { Observable } from 'rxjs';

import { Pond } from './pond';
import { PondService } from './pond.service';

@Component({
  selector: 'pl-pond-list',
  template: `
    <button type="button" (click)="deepOnly = !deepOnly">
      {{ deepOnly ? 'Show all ponds' : 'Show deep ponds' }}
    </button>
    <ul>
      <li *ngFor="let pond of ponds$ | async">
        <ng-container *ngIf="!deepOnly || pond.depthCm >= 200">
          {{ pond.name }}: {{ pond.depthCm | depth }}
        </ng-container>
      </li>
    </ul>
  `,
})
export class PondListComponent {
  deepOnly = false;
  readonly ponds$: Observable<readonly Pond[]>;

  constructor(service: PondService) {
    this.ponds$ = service.ponds();
  }
}
