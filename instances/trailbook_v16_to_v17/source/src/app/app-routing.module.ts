import { NgModule } from '@angular/core';
import { RouterModule, Routes } from '@angular/router';

import { AboutComponent } from './about/about.component';
import { trailExistsGuard } from './core/trail-exists.guard';
import { HomeComponent } from './home/home.component';
import { HikeFormComponent } from './journal/hike-form.component';
import { JournalComponent } from './journal/journal.component';
import { NotFoundComponent } from './not-found/not-found.component';
import { TrailDetailComponent } from './trails/trail-detail.component';
import { TrailListComponent } from './trails/trail-list.component';

const routes: Routes = [
  { path: '', pathMatch: 'full', title: 'Trailbook', component: HomeComponent },
  { path: 'trails', title: 'Trails · Trailbook', component: TrailListComponent },
  {
    path: 'trails/:trailId',
    title: 'Trail · Trailbook',
    component: TrailDetailComponent,
    canActivate: [trailExistsGuard],
  },
  { path: 'journal', title: 'Journal · Trailbook', component: JournalComponent },
  { path: 'journal/new', title: 'Log a hike · Trailbook', component: HikeFormComponent },
  {
    path: 'planner',
    loadChildren: () => import('./planner/planner.module').then((m) => m.PlannerModule),
  },
  { path: 'about', title: 'About · Trailbook', component: AboutComponent },
  { path: 'not-found', title: 'Not found · Trailbook', component: NotFoundComponent },
  { path: '**', redirectTo: 'not-found' },
];

@NgModule({
  imports: [RouterModule.forRoot(routes, { bindToComponentInputs: true })],
  exports: [RouterModule],
})
export class AppRoutingModule {}
