import { Component } from '@angular/core';

@Component({
  selector: 'tb-about',
  templateUrl: './about.component.html',
})
export class AboutComponent {}
