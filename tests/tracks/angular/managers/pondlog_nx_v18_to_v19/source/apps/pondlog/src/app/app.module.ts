import { NgModule } from '@angular/core';
import { BrowserModule } from '@angular/platform-browser';

import { AppComponent } from './app.component';
import { DepthPipe } from './depth.pipe';
import { PondListComponent } from './pond-list.component';

@NgModule({
  imports: [BrowserModule],
  declarations: [AppComponent, PondListComponent, DepthPipe],
  bootstrap: [AppComponent],
})
export class AppModule {}
