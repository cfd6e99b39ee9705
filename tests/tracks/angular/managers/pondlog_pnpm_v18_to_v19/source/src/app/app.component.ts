import { Component } from '@angular/core';

@Component({
  selector: 'pl-root',
  template: `
    <h1>Pondlog</h1>
    <p>Small waters within a day's walk, and how deep they are.</p>
    <pl-pond-list></pl-pond-list>
  `,
})
export class AppComponent {}
