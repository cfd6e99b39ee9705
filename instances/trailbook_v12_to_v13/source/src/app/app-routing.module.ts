import { NgModule } from '@angular/core';
import { RouterModule, Routes } from '@angular/router';

import { AboutComponent } from './about/about.component';
import { TrailExistsGuard } from './core/trail-exists.guard';
import { HomeComponent } from './home/home.component';
import { HikeFormComponent } from './journal/hike-form.component';
import { JournalComponent } from './journal/journal.component';
import { NotFoundComponent } from './not-found/not-found.component';
import { TrailDetailComponent } from './trails/trail-detail.component';
import { TrailListComponent } from './trails/trail-list.component';

const routes: Routes = [
  { path: '', pathMatch: 'full', component: HomeComponent },
  { path: 'trails', data: { title: 'Trails' }, component: TrailListComponent },
  {
    path: 'trails/:trailId',
    data: { title: 'Trail' },
    component: TrailDetailComponent,
    canActivate: [TrailExistsGuard],
  },
  { path: 'journal', data: { title: 'Journal' }, component: JournalComponent },
  { path: 'journal/new', data: { title: 'Log a hike' }, component: HikeFormComponent },
  {
    path: 'planner',
    loadChildren: () => import('./planner/planner.module').then((m) => m.PlannerModule),
  },
  { path: 'about', data: { title: 'About' }, component: AboutComponent },
  { path: 'not-found', data: { title: 'Not found' }, component: NotFoundComponent },
  { path: '**', redirectTo: 'not-found' },
];

@NgModule({
  imports: [RouterModule.forRoot(routes, { relativeLinkResolution: 'legacy' })],
  exports: [RouterModule],
})
export class AppRoutingModule {}
