import { Component } from '@angular/core';
import { RouterLink } from '@angular/router';

@Component({
  selector: 'tb-not-found',
  standalone: true,
  imports: [RouterLink],
  template: `
    <h1>Off the map</h1>
    <p>There is no such page, or no such trail.</p>
    <p><a routerLink="/trails">Back to the trails</a></p>
  `,
})
export class NotFoundComponent {}
