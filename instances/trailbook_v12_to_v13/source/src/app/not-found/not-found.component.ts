import { Component } from '@angular/core';

@Component({
  selector: 'tb-not-found',
  template: `
    <h1>Off the map</h1>
    <p>There is no such page, or no such trail.</p>
    <p><a routerLink="/trails">Back to the trails</a></p>
  `,
})
export class NotFoundComponent {}
