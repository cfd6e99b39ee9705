import { CommonModule } from '@angular/common';
import { NgModule } from '@angular/core';
import { ReactiveFormsModule } from '@angular/forms';
import { RouterModule, Routes } from '@angular/router';

import { trailExistsGuard } from '../core/trail-exists.guard';
import { SharedModule } from '../shared/shared.module';
import { TrailDetailComponent } from './trail-detail.component';
import { TrailListComponent } from './trail-list.component';

const routes: Routes = [
  { path: '', title: 'Trails · Trailbook', component: TrailListComponent },
  {
    path: ':trailId',
    title: 'Trail · Trailbook',
    component: TrailDetailComponent,
    canActivate: [trailExistsGuard],
  },
];

@NgModule({
  declarations: [TrailDetailComponent, TrailListComponent],
  imports: [CommonModule, ReactiveFormsModule, SharedModule, RouterModule.forChild(routes)],
})
export class TrailsModule {}
