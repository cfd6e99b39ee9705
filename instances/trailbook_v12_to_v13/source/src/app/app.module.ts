import { HTTP_INTERCEPTORS, HttpClientModule } from '@angular/common/http';
import { APP_INITIALIZER, NgModule } from '@angular/core';
import { ReactiveFormsModule } from '@angular/forms';
import { BrowserModule } from '@angular/platform-browser';

import { AppRoutingModule } from './app-routing.module';
import { AboutComponent } from './about/about.component';
import { AppComponent } from './app.component';
import { BackendInterceptor } from './core/backend.interceptor';
import { TrailbookStore } from './core/trailbook-store.service';
import { HomeComponent } from './home/home.component';
import { HikeFormComponent } from './journal/hike-form.component';
import { JournalComponent } from './journal/journal.component';
import { NotFoundComponent } from './not-found/not-found.component';
import { SharedModule } from './shared/shared.module';
import { TrailDetailComponent } from './trails/trail-detail.component';
import { TrailListComponent } from './trails/trail-list.component';

@NgModule({
  declarations: [
    AboutComponent,
    AppComponent,
    HikeFormComponent,
    HomeComponent,
    JournalComponent,
    NotFoundComponent,
    TrailDetailComponent,
    TrailListComponent,
  ],
  imports: [BrowserModule, HttpClientModule, ReactiveFormsModule, SharedModule, AppRoutingModule],
  providers: [
    { provide: HTTP_INTERCEPTORS, useClass: BackendInterceptor, multi: true },
    {
      provide: APP_INITIALIZER,
      useFactory: (store: TrailbookStore) => () => store.load(),
      deps: [TrailbookStore],
      multi: true,
    },
  ],
  bootstrap: [AppComponent],
})
export class AppModule {}
