import { Routes } from '@angular/router';

import { AboutComponent } from './about/about.component';
import { HomeComponent } from './home/home.component';
import { HikeFormComponent } from './journal/hike-form.component';
import { JournalComponent } from './journal/journal.component';
import { NotFoundComponent } from './not-found/not-found.component';

export const routes: Routes = [
  { path: '', pathMatch: 'full', title: 'Trailbook', component: HomeComponent },
  {
    path: 'trails',
    loadChildren: () => import('./trails/trails.module').then((m) => m.TrailsModule),
  },
  { path: 'journal', title: 'Journal · Trailbook', component: JournalComponent },
  { path: 'journal/new', title: 'Log a hike · Trailbook', component: HikeFormComponent },
  { path: 'planner', loadChildren: () => import('./planner/planner.routes') },
  { path: 'about', title: 'About · Trailbook', component: AboutComponent },
  { path: 'not-found', title: 'Not found · Trailbook', component: NotFoundComponent },
  { path: '**', redirectTo: 'not-found' },
];
